-- CreateTable
CREATE TABLE "PersonalToken" (
    "id" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "expiresAt" TIMESTAMP(3),
    "lastUsedAt" TIMESTAMP(3),

    CONSTRAINT "PersonalToken_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "PersonalToken_hash_key" ON "PersonalToken"("hash");

-- CreateIndex
CREATE INDEX "PersonalToken_userId_idx" ON "PersonalToken"("userId");

-- CreateIndex
CREATE INDEX "PersonalToken_expiresAt_idx" ON "PersonalToken"("expiresAt");

-- AddForeignKey
ALTER TABLE "PersonalToken" ADD CONSTRAINT "PersonalToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
