-- DropIndex
DROP INDEX "Member_userId_idx";

-- CreateIndex
CREATE INDEX "Member_userId_guildId_idx" ON "Member"("userId", "guildId");
