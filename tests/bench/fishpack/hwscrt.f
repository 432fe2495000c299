C     A stand-in for FISHPACK's HWSCRT, with its arguments: given values
C     on all sides, solved by the stand-in for BLKTRI.
      SUBROUTINE HWSCRT(A,B,M,MBDCND,BDA,BDB,C,D,N,NBDCND,BDC,BDD,
     +                  ELMBDA,F,IDIMF,PERTRB,IERROR,W)
      INTEGER M,MBDCND,N,NBDCND,IDIMF,IERROR,I,J
      REAL A,B,BDA(*),BDB(*),C,D,BDC(*),BDD(*),ELMBDA,F(IDIMF,*)
      REAL PERTRB,W(*),X(100),Y(100),XD(100),YD(100),P,Q
      IERROR = 2
      IF (MBDCND .NE. 1 .OR. NBDCND .NE. 1) RETURN
      PERTRB = 0
      P = (M/(B-A))**2
      Q = (N/(D-C))**2
      DO 10 I=1,M-1
         X(I) = P
         XD(I) = ELMBDA-2*P
         F(I+1,2) = F(I+1,2)-Q*F(I+1,1)
         F(I+1,N) = F(I+1,N)-Q*F(I+1,N+1)
   10 CONTINUE
      DO 20 J=1,N-1
         Y(J) = Q
         YD(J) = -2*Q
         F(2,J+1) = F(2,J+1)-P*F(1,J+1)
         F(M,J+1) = F(M,J+1)-P*F(M+1,J+1)
   20 CONTINUE
      CALL BLKTRI(1,1,N-1,Y,YD,Y,1,M-1,X,XD,X,IDIMF,F(2,2),IERROR,W)
      END
