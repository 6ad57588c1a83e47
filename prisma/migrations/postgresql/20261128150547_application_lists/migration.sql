-- DropIndex
DROP INDEX "Application_ownerUserId_idx";

-- DropIndex
DROP INDEX "Application_ownerTeamId_idx";

-- DropIndex
DROP INDEX "Application_transferredById_idx";

-- CreateIndex
CREATE INDEX "Application_ownerUserId_id_idx" ON "Application"("ownerUserId", "id");

-- CreateIndex
CREATE INDEX "Application_ownerTeamId_id_idx" ON "Application"("ownerTeamId", "id");

-- CreateIndex
CREATE INDEX "Application_transferredById_id_idx" ON "Application"("transferredById", "id");
