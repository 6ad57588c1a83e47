-- DropIndex
DROP INDEX "AuditEntry_applicationId_id_idx";

-- DropIndex
DROP INDEX "AuditEntry_teamId_id_idx";

-- AlterTable
ALTER TABLE "Application" ADD COLUMN "coverHash" TEXT;

-- AlterTable
ALTER TABLE "Webhook" ADD COLUMN "lastExecutedAt" DATETIME;

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Tester" (
    "applicationId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "inviterId" BIGINT,
    "state" TEXT NOT NULL DEFAULT 'INVITED',
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("applicationId", "userId"),
    CONSTRAINT "Tester_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Tester_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "Tester_inviterId_fkey" FOREIGN KEY ("inviterId") REFERENCES "User" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
INSERT INTO "new_Tester" ("applicationId", "createdAt", "state", "userId") SELECT "applicationId", "createdAt", "state", "userId" FROM "Tester";
DROP TABLE "Tester";
ALTER TABLE "new_Tester" RENAME TO "Tester";
CREATE INDEX "Tester_userId_idx" ON "Tester"("userId");
CREATE INDEX "Tester_inviterId_idx" ON "Tester"("inviterId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "AuditEntry_applicationId_action_id_idx" ON "AuditEntry"("applicationId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_applicationId_actorId_action_id_idx" ON "AuditEntry"("applicationId", "actorId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_teamId_action_id_idx" ON "AuditEntry"("teamId", "action", "id");

-- CreateIndex
CREATE INDEX "AuditEntry_teamId_actorId_action_id_idx" ON "AuditEntry"("teamId", "actorId", "action", "id");

-- Who invited those that were invited before.
UPDATE "Tester" SET "inviterId" = (
    SELECT "actorId" FROM "AuditEntry"
    WHERE "applicationId" = "Tester"."applicationId" AND "action" = 'TESTER_INVITE' AND "targetId" = "Tester"."userId"
    ORDER BY "id" DESC LIMIT 1
);
