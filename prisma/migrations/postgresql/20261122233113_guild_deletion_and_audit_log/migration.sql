-- AlterTable
ALTER TABLE "Guild" ADD COLUMN     "deletedAt" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "AuditEntry_guildId_action_id_idx" ON "AuditEntry"("guildId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_guildId_actorId_action_id_idx" ON "AuditEntry"("guildId", "actorId", "action", "id");
