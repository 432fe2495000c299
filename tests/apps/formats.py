# SPDX-License-Identifier: LGPL-2.1-or-later
"""Readers of what the program writes, for tests of it: VTK's XML files and pictures."""
import re
import struct
import zlib


def vtk_arrays(path):
    """Arrays of one of VTK's XML files by name."""
    with open(path, "rb") as stream:
        data = stream.read()
    start = data.index(b'encoding="raw">') + len(b'encoding="raw">\n_')
    formats, arrays = {"Float32": "f", "Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}, {}
    for kind, name, offset in re.findall(rb'type="(\w+)" Name="(\w+)".*offset="(\d+)"', data):
        at = start + int(offset)
        size, = struct.unpack("<Q", data[at:at + 8])
        code = formats[kind.decode()]
        arrays[name.decode()] = struct.unpack(f"<{size // struct.calcsize(code)}{code}", data[at + 8:at + 8 + size])
    return arrays


def png(path, size):
    """The first `size` rows of pixels of a PNG of 8 bits a channel, each of `size` tuples."""
    with open(path, "rb") as stream:
        data = stream.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, _, _, colours = struct.unpack(">IIBB", data[at + 8:at + 18])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    channels, rows, above = {2: 3, 6: 4}[colours], [], bytes(5 * size)
    raw = zlib.decompress(packed)
    for start in range(0, size * (1 + width * channels), 1 + width * channels):
        row, kind = bytearray(channels) + raw[start + 1:start + 1 + size * channels], raw[start]
        for i in range(channels, len(row)):
            left, up, corner = row[i - channels], above[i], above[i - channels]
            guess = (0, left, up, (left + up) // 2)[kind] if kind < 4 else left + up - corner
            if kind == 4:
                far = abs(guess - left), abs(guess - up), abs(guess - corner)
                guess = left if far[0] <= far[1] and far[0] <= far[2] else up if far[1] <= far[2] else corner
            row[i] = (row[i] + guess) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(channels, len(row), channels)])
        above = row
    return rows
