-- AlterTable
ALTER TABLE "Guild" ADD COLUMN "memberCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Member" ADD COLUMN "usernameKey" TEXT NOT NULL DEFAULT '';
ALTER TABLE "Member" ADD COLUMN "globalNameKey" TEXT;
ALTER TABLE "Member" ADD COLUMN "nickKey" TEXT;

UPDATE "Guild" SET "memberCount" = (SELECT COUNT(*) FROM "Member" WHERE "guildId" = "Guild"."id");

-- This dialect knows the capitals of ASCII only, and a job sees to the others.
UPDATE "Member" SET
    "usernameKey" = (SELECT UPPER("username") FROM "User" WHERE "id" = "userId"),
    "globalNameKey" = (SELECT UPPER("globalName") FROM "User" WHERE "id" = "userId"),
    "nickKey" = UPPER("nick");
INSERT INTO "Job" ("id", "kind", "key", "payload", "dueAt")
SELECT 1, 'name-keys', 'name-keys', '{}', CURRENT_TIMESTAMP WHERE EXISTS (SELECT 1 FROM "Member");

-- CreateIndex
CREATE INDEX "Member_guildId_usernameKey_userId_idx" ON "Member"("guildId", "usernameKey", "userId");

-- CreateIndex
CREATE INDEX "Member_guildId_globalNameKey_userId_idx" ON "Member"("guildId", "globalNameKey", "userId");

-- CreateIndex
CREATE INDEX "Member_guildId_nickKey_userId_idx" ON "Member"("guildId", "nickKey", "userId");
