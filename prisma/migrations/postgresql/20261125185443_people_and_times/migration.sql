-- DropIndex
DROP INDEX "AuditEntry_applicationId_id_idx";

-- DropIndex
DROP INDEX "AuditEntry_teamId_id_idx";

-- AlterTable
ALTER TABLE "Application" ADD COLUMN     "coverHash" TEXT;

-- AlterTable
ALTER TABLE "Tester" ADD COLUMN     "inviterId" BIGINT;

-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN     "lastExecutedAt" TIMESTAMP(3);

-- CreateIndex
CREATE INDEX "Tester_inviterId_idx" ON "Tester"("inviterId");

-- CreateIndex
CREATE INDEX "AuditEntry_applicationId_action_id_idx" ON "AuditEntry"("applicationId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_applicationId_actorId_action_id_idx" ON "AuditEntry"("applicationId", "actorId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_teamId_action_id_idx" ON "AuditEntry"("teamId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_teamId_actorId_action_id_idx" ON "AuditEntry"("teamId", "actorId", "action", "id");

-- AddForeignKey
ALTER TABLE "Tester" ADD CONSTRAINT "Tester_inviterId_fkey" FOREIGN KEY ("inviterId") REFERENCES "User"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Who invited those that were invited before.
UPDATE "Tester" SET "inviterId" = (
    SELECT "actorId" FROM "AuditEntry"
    WHERE "applicationId" = "Tester"."applicationId" AND "action" = 'TESTER_INVITE' AND "targetId" = "Tester"."userId"
    ORDER BY "id" DESC LIMIT 1
);
