-- CreateEnum
CREATE TYPE "InteractionState" AS ENUM ('DELIVERING', 'DELIVERED_HTTP', 'DELIVERED_GATEWAY', 'DEFERRED', 'ANSWERED', 'FAILED', 'EXPIRED');

-- AlterTable
ALTER TABLE "Message" ADD COLUMN     "applicationId" BIGINT,
ADD COLUMN     "interaction" JSONB,
ADD COLUMN     "visibleToId" BIGINT;

-- CreateTable
CREATE TABLE "ApplicationCommand" (
    "id" BIGINT NOT NULL,
    "applicationId" BIGINT NOT NULL,
    "scopeId" BIGINT NOT NULL DEFAULT 0,
    "type" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "nameLocalizations" JSONB,
    "description" TEXT NOT NULL DEFAULT '',
    "descriptionLocalizations" JSONB,
    "options" JSONB NOT NULL,
    "defaultMemberPermissions" TEXT,
    "nsfw" BOOLEAN NOT NULL DEFAULT false,
    "integrationTypes" JSONB NOT NULL,
    "contexts" JSONB,
    "version" BIGINT NOT NULL,

    CONSTRAINT "ApplicationCommand_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "CommandQuota" (
    "applicationId" BIGINT NOT NULL,
    "scopeId" BIGINT NOT NULL,
    "day" INTEGER NOT NULL,
    "created" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "CommandQuota_pkey" PRIMARY KEY ("applicationId","scopeId","day")
);

-- CreateTable
CREATE TABLE "CommandPermission" (
    "guildId" BIGINT NOT NULL,
    "applicationId" BIGINT NOT NULL,
    "commandId" BIGINT NOT NULL,
    "targetId" BIGINT NOT NULL,
    "targetType" INTEGER NOT NULL,
    "allow" BOOLEAN NOT NULL,

    CONSTRAINT "CommandPermission_pkey" PRIMARY KEY ("guildId","commandId","targetType","targetId")
);

-- CreateTable
CREATE TABLE "Interaction" (
    "id" BIGINT NOT NULL,
    "applicationId" BIGINT NOT NULL,
    "type" INTEGER NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "userId" BIGINT NOT NULL,
    "guildId" BIGINT,
    "channelId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "commandId" BIGINT,
    "messageId" BIGINT,
    "data" JSONB NOT NULL,
    "owners" JSONB NOT NULL,
    "state" "InteractionState" NOT NULL DEFAULT 'DELIVERING',
    "endsAt" TIMESTAMP(3),
    "httpMs" INTEGER,
    "fellBack" BOOLEAN NOT NULL DEFAULT false,
    "callbackType" INTEGER,
    "originalMessageId" BIGINT,
    "followUps" INTEGER NOT NULL DEFAULT 0,
    "modal" JSONB,
    "choices" JSONB,
    "failure" TEXT,

    CONSTRAINT "Interaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "InteractionStep" (
    "id" BIGINT NOT NULL,
    "interactionId" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" INTEGER,
    "durationMs" INTEGER,
    "reason" TEXT,
    "request" TEXT,
    "response" TEXT,

    CONSTRAINT "InteractionStep_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ApplicationCommand_scopeId_idx" ON "ApplicationCommand"("scopeId");

-- CreateIndex
CREATE UNIQUE INDEX "ApplicationCommand_applicationId_scopeId_type_name_key" ON "ApplicationCommand"("applicationId", "scopeId", "type", "name");

-- CreateIndex
CREATE INDEX "CommandQuota_day_idx" ON "CommandQuota"("day");

-- CreateIndex
CREATE INDEX "CommandPermission_applicationId_guildId_idx" ON "CommandPermission"("applicationId", "guildId");

-- CreateIndex
CREATE INDEX "CommandPermission_commandId_idx" ON "CommandPermission"("commandId");

-- CreateIndex
CREATE INDEX "Interaction_applicationId_id_idx" ON "Interaction"("applicationId", "id");

-- CreateIndex
CREATE INDEX "Interaction_userId_idx" ON "Interaction"("userId");

-- CreateIndex
CREATE INDEX "Interaction_endsAt_idx" ON "Interaction"("endsAt");

-- CreateIndex
CREATE INDEX "InteractionStep_interactionId_id_idx" ON "InteractionStep"("interactionId", "id");

-- AddForeignKey
ALTER TABLE "ApplicationCommand" ADD CONSTRAINT "ApplicationCommand_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "CommandPermission" ADD CONSTRAINT "CommandPermission_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Interaction" ADD CONSTRAINT "Interaction_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Interaction" ADD CONSTRAINT "Interaction_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "InteractionStep" ADD CONSTRAINT "InteractionStep_interactionId_fkey" FOREIGN KEY ("interactionId") REFERENCES "Interaction"("id") ON DELETE CASCADE ON UPDATE CASCADE;
