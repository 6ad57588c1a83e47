-- AlterTable
ALTER TABLE "Application" ADD COLUMN     "botTokenCreatedAt" TIMESTAMP(3),
ADD COLUMN     "botTokenCreatedById" BIGINT,
ADD COLUMN     "botTokenLast4" TEXT,
ADD COLUMN     "botTokenLastUsedAt" TIMESTAMP(3),
ADD COLUMN     "clientSecretCreatedAt" TIMESTAMP(3),
ADD COLUMN     "clientSecretCreatedById" BIGINT,
ADD COLUMN     "clientSecretLastUsedAt" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "Presence" ADD COLUMN     "connectedAt" TIMESTAMP(3),
ADD COLUMN     "intents" INTEGER,
ADD COLUMN     "shardCount" INTEGER,
ADD COLUMN     "shardId" INTEGER;
