-- AlterTable
ALTER TABLE "Application" ADD COLUMN "botTokenCreatedAt" DATETIME;
ALTER TABLE "Application" ADD COLUMN "botTokenCreatedById" BIGINT;
ALTER TABLE "Application" ADD COLUMN "botTokenLast4" TEXT;
ALTER TABLE "Application" ADD COLUMN "botTokenLastUsedAt" DATETIME;
ALTER TABLE "Application" ADD COLUMN "clientSecretCreatedAt" DATETIME;
ALTER TABLE "Application" ADD COLUMN "clientSecretCreatedById" BIGINT;
ALTER TABLE "Application" ADD COLUMN "clientSecretLastUsedAt" DATETIME;

-- AlterTable
ALTER TABLE "Presence" ADD COLUMN "connectedAt" DATETIME;
ALTER TABLE "Presence" ADD COLUMN "intents" INTEGER;
ALTER TABLE "Presence" ADD COLUMN "shardCount" INTEGER;
ALTER TABLE "Presence" ADD COLUMN "shardId" INTEGER;
