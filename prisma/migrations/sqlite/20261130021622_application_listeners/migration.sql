-- AlterTable
ALTER TABLE "Application" ADD COLUMN "listenerId" TEXT;
ALTER TABLE "Application" ADD COLUMN "listenerProcessId" TEXT REFERENCES "LiveProcess" ("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- CreateIndex
CREATE INDEX "Application_listenerProcessId_idx" ON "Application"("listenerProcessId");
