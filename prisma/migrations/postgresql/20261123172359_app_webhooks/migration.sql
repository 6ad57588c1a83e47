-- AlterTable
ALTER TABLE "Message" ADD COLUMN     "webhookId" BIGINT;

-- CreateTable
CREATE TABLE "Webhook" (
    "id" BIGINT NOT NULL,
    "applicationId" BIGINT NOT NULL,
    "guildId" BIGINT NOT NULL,
    "channelId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "tokenPrefix" TEXT NOT NULL,
    "tokenLast4" TEXT NOT NULL,
    "creatorId" BIGINT NOT NULL,
    "deletedAt" TIMESTAMP(3),

    CONSTRAINT "Webhook_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "Webhook_applicationId_deletedAt_idx" ON "Webhook"("applicationId", "deletedAt");

-- CreateIndex
CREATE INDEX "Webhook_guildId_deletedAt_idx" ON "Webhook"("guildId", "deletedAt");

-- CreateIndex
CREATE INDEX "Webhook_channelId_deletedAt_idx" ON "Webhook"("channelId", "deletedAt");

-- CreateIndex
CREATE INDEX "Webhook_creatorId_idx" ON "Webhook"("creatorId");

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Webhook" ADD CONSTRAINT "Webhook_creatorId_fkey" FOREIGN KEY ("creatorId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
