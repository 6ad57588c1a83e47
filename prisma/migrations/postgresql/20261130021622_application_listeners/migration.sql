-- AlterTable
ALTER TABLE "Application" ADD COLUMN     "listenerId" TEXT,
ADD COLUMN     "listenerProcessId" TEXT;

-- CreateIndex
CREATE INDEX "Application_listenerProcessId_idx" ON "Application"("listenerProcessId");

-- AddForeignKey
ALTER TABLE "Application" ADD CONSTRAINT "Application_listenerProcessId_fkey" FOREIGN KEY ("listenerProcessId") REFERENCES "LiveProcess"("id") ON DELETE SET NULL ON UPDATE CASCADE;
