      PROGRAM CLIENT
C     u = x**2 + y**2 in the unit square, given on all sides.
      INTEGER M, N, I, J, IERROR
      PARAMETER (M = 24, N = 20)
      REAL F(M+1,N+1), W(2000), D(1), PERTRB, X, Y, ERR, PIMACH
      ERR = 0.
      DO 20 J = 1, N + 1
         DO 10 I = 1, M + 1
            X = REAL(I - 1)/M
            Y = REAL(J - 1)/N
            F(I,J) = 4.
            IF (I .EQ. 1 .OR. I .EQ. M + 1 .OR. J .EQ. 1 .OR.
     1          J .EQ. N + 1) F(I,J) = X**2 + Y**2
   10    CONTINUE
   20 CONTINUE
      CALL HWSCRT(0., 1., M, 1, D, D, 0., 1., N, 1, D, D, 0., F,
     1            M + 1, PERTRB, IERROR, W)
      DO 40 J = 1, N + 1
         DO 30 I = 1, M + 1
            X = REAL(I - 1)/M
            Y = REAL(J - 1)/N
            ERR = MAX(ERR, ABS(F(I,J) - X**2 - Y**2))
   30    CONTINUE
   40 CONTINUE
      WRITE (*,*) 'IERROR', IERROR, ' ERROR', ERR, ' W(1)', W(1)
      IF (IERROR .NE. 0 .OR. ERR .GT. 1E-5) STOP 1
      IF (ABS(PIMACH(X) - 3.14159265358979) .GT. 1E-6) STOP 2
      END
