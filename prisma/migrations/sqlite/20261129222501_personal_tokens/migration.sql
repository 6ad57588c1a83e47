-- CreateTable
CREATE TABLE "PersonalToken" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "userId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "expiresAt" DATETIME,
    "lastUsedAt" DATETIME,
    CONSTRAINT "PersonalToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "PersonalToken_hash_key" ON "PersonalToken"("hash");

-- CreateIndex
CREATE INDEX "PersonalToken_userId_idx" ON "PersonalToken"("userId");

-- CreateIndex
CREATE INDEX "PersonalToken_expiresAt_idx" ON "PersonalToken"("expiresAt");
