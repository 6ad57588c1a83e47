-- AlterTable
ALTER TABLE "AuthUser" ADD COLUMN "deletionAt" DATETIME;

-- CreateTable
CREATE TABLE "InstanceLimit" (
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "value" INTEGER NOT NULL,

    PRIMARY KEY ("kind", "subject")
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_PersonalToken" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "userId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "forOperator" BOOLEAN NOT NULL DEFAULT false,
    "expiresAt" DATETIME,
    "lastUsedAt" DATETIME,
    CONSTRAINT "PersonalToken_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_PersonalToken" ("expiresAt", "hash", "id", "last4", "lastUsedAt", "name", "userId") SELECT "expiresAt", "hash", "id", "last4", "lastUsedAt", "name", "userId" FROM "PersonalToken";
DROP TABLE "PersonalToken";
ALTER TABLE "new_PersonalToken" RENAME TO "PersonalToken";
CREATE UNIQUE INDEX "PersonalToken_hash_key" ON "PersonalToken"("hash");
CREATE INDEX "PersonalToken_userId_idx" ON "PersonalToken"("userId");
CREATE INDEX "PersonalToken_expiresAt_idx" ON "PersonalToken"("expiresAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "AuthUser_deletionAt_idx" ON "AuthUser"("deletionAt");
