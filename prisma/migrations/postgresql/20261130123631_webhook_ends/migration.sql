-- CreateIndex
CREATE INDEX "Webhook_deletedAt_idx" ON "Webhook"("deletedAt");
