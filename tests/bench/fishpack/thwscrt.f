C     A stand-in for FISHPACK's test programs, which lie beside its
C     sources in some copies.
      PROGRAM THWSCRT
      CALL HWSCRT
      END
