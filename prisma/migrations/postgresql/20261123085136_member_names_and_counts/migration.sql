-- AlterTable
ALTER TABLE "Guild" ADD COLUMN     "memberCount" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
-- Compared byte by byte, whatever the database's own order, so that an index finds what begins alike.
ALTER TABLE "Member" ADD COLUMN     "globalNameKey" TEXT COLLATE "C",
ADD COLUMN     "nickKey" TEXT COLLATE "C",
ADD COLUMN     "usernameKey" TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE "Guild" SET "memberCount" = (SELECT COUNT(*) FROM "Member" WHERE "guildId" = "Guild"."id");

-- Which capitals this knows depends on the database's locale, and a job sees to the others.
UPDATE "Member" SET
    "usernameKey" = (SELECT UPPER("username") FROM "User" WHERE "id" = "userId"),
    "globalNameKey" = (SELECT UPPER("globalName") FROM "User" WHERE "id" = "userId"),
    "nickKey" = UPPER("nick");
ALTER TABLE "Member" ALTER COLUMN "usernameKey" DROP DEFAULT;
INSERT INTO "Job" ("id", "kind", "key", "payload", "dueAt")
SELECT 1, 'name-keys', 'name-keys', '{}', CURRENT_TIMESTAMP WHERE EXISTS (SELECT 1 FROM "Member");

-- CreateIndex
CREATE INDEX "Member_guildId_usernameKey_userId_idx" ON "Member"("guildId", "usernameKey", "userId");

-- CreateIndex
CREATE INDEX "Member_guildId_globalNameKey_userId_idx" ON "Member"("guildId", "globalNameKey", "userId");

-- CreateIndex
CREATE INDEX "Member_guildId_nickKey_userId_idx" ON "Member"("guildId", "nickKey", "userId");
