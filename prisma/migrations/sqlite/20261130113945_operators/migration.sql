-- AlterTable
ALTER TABLE "AuthUser" ADD COLUMN "operatorRole" TEXT;
ALTER TABLE "AuthUser" ADD COLUMN "suspendedAt" DATETIME;
ALTER TABLE "AuthUser" ADD COLUMN "suspensionText" TEXT;

-- AlterTable
ALTER TABLE "Application" ADD COLUMN "suspendedAt" DATETIME;
ALTER TABLE "Application" ADD COLUMN "suspensionText" TEXT;

-- CreateTable
CREATE TABLE "InstanceAuditEntry" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "actorId" BIGINT,
    "action" TEXT NOT NULL,
    "targetId" BIGINT NOT NULL,
    "changes" JSONB NOT NULL,
    "reason" TEXT
);

-- CreateIndex
CREATE INDEX "InstanceAuditEntry_action_id_idx" ON "InstanceAuditEntry"("action", "id");

-- CreateIndex
CREATE INDEX "InstanceAuditEntry_actorId_action_id_idx" ON "InstanceAuditEntry"("actorId", "action", "id");

-- CreateIndex
CREATE INDEX "InstanceAuditEntry_targetId_id_idx" ON "InstanceAuditEntry"("targetId", "id");

-- CreateIndex
CREATE INDEX "AuthUser_operatorRole_idx" ON "AuthUser"("operatorRole");

-- CreateIndex
CREATE INDEX "AuthUser_suspendedAt_idx" ON "AuthUser"("suspendedAt");
