C     A stand-in for FISHPACK's BLKTRI, with its arguments: dense
C     elimination of at most 100 unknowns, for the test of the peer.
      SUBROUTINE BLKTRI(IFLG,NP,N,AN,BN,CN,MP,M,AM,BM,CM,IDIMY,Y,
     +                  IERROR,W)
      INTEGER IFLG,NP,N,MP,M,IDIMY,IERROR,I,J,K,L,P
      REAL AN(N),BN(N),CN(N),AM(M),BM(M),CM(M),Y(IDIMY,N),W(*)
      REAL A(100,101),F
      IERROR = 0
      IF (M*N .GT. 100 .OR. NP .NE. 1 .OR. MP .NE. 1) IERROR = 1
      IF (IERROR .NE. 0 .OR. IFLG .EQ. 0) RETURN
      P = M*N
      DO 20 K=1,P
         DO 10 L=1,P+1
            A(K,L) = 0
   10    CONTINUE
   20 CONTINUE
      DO 40 J=1,N
         DO 30 I=1,M
            K = I+M*(J-1)
            A(K,K) = BN(J)+BM(I)
            IF (I .GT. 1) A(K,K-1) = AM(I)
            IF (I .LT. M) A(K,K+1) = CM(I)
            IF (J .GT. 1) A(K,K-M) = AN(J)
            IF (J .LT. N) A(K,K+M) = CN(J)
            A(K,P+1) = Y(I,J)
   30    CONTINUE
   40 CONTINUE
      DO 70 K=1,P
         DO 60 L=K+1,P
            F = A(L,K)/A(K,K)
            DO 50 I=K,P+1
               A(L,I) = A(L,I)-F*A(K,I)
   50       CONTINUE
   60    CONTINUE
   70 CONTINUE
      DO 90 K=P,1,-1
         F = A(K,P+1)
         DO 80 L=K+1,P
            F = F-A(K,L)*A(L,P+1)
   80    CONTINUE
         A(K,P+1) = F/A(K,K)
   90 CONTINUE
      DO 110 J=1,N
         DO 100 I=1,M
            Y(I,J) = A(I+M*(J-1),P+1)
  100    CONTINUE
  110 CONTINUE
      W(1) = 1
      END
