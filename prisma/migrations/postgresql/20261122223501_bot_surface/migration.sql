-- CreateEnum
CREATE TYPE "GreetingKind" AS ENUM ('WELCOME', 'GOODBYE');

-- DropIndex
DROP INDEX "Message_authorId_idx";

-- AlterTable
ALTER TABLE "Guild" ADD COLUMN     "afkChannelId" BIGINT,
ADD COLUMN     "afkTimeout" INTEGER NOT NULL DEFAULT 300,
ADD COLUMN     "defaultMessageNotifications" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "explicitContentFilter" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "preferredLocale" TEXT NOT NULL DEFAULT 'en-US',
ADD COLUMN     "systemChannelFlags" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "systemChannelId" BIGINT,
ADD COLUMN     "verificationLevel" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "Member" ADD COLUMN     "awayMessage" TEXT,
ADD COLUMN     "awaySince" TIMESTAMP(3),
ADD COLUMN     "communicationDisabledUntil" TIMESTAMP(3),
ADD COLUMN     "deaf" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "mute" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "temporary" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "Channel" ADD COLUMN     "bitrate" INTEGER NOT NULL DEFAULT 64000,
ADD COLUMN     "directKey" TEXT,
ADD COLUMN     "lastPinAt" TIMESTAMP(3),
ADD COLUMN     "userLimit" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "Invite" ADD COLUMN     "temporary" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "Ban" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "reason" TEXT,

    CONSTRAINT "Ban_pkey" PRIMARY KEY ("guildId","userId")
);

-- CreateTable
CREATE TABLE "Emoji" (
    "id" BIGINT NOT NULL,
    "guildId" BIGINT,
    "applicationId" BIGINT,
    "name" TEXT NOT NULL,
    "animated" BOOLEAN NOT NULL DEFAULT false,
    "creatorId" BIGINT NOT NULL,
    "roleIds" JSONB NOT NULL,

    CONSTRAINT "Emoji_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ChannelRecipient" (
    "channelId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,

    CONSTRAINT "ChannelRecipient_pkey" PRIMARY KEY ("channelId","userId")
);

-- CreateTable
CREATE TABLE "SlowMode" (
    "channelId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SlowMode_pkey" PRIMARY KEY ("channelId","userId")
);

-- CreateTable
CREATE TABLE "Pin" (
    "messageId" BIGINT NOT NULL,
    "channelId" BIGINT NOT NULL,
    "pinnedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Pin_pkey" PRIMARY KEY ("messageId")
);

-- CreateTable
CREATE TABLE "Greeting" (
    "guildId" BIGINT NOT NULL,
    "kind" "GreetingKind" NOT NULL,
    "channelId" BIGINT NOT NULL,
    "message" TEXT NOT NULL,

    CONSTRAINT "Greeting_pkey" PRIMARY KEY ("guildId","kind")
);

-- CreateTable
CREATE TABLE "LiveProcess" (
    "id" TEXT NOT NULL,
    "until" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "LiveProcess_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Presence" (
    "sessionId" TEXT NOT NULL,
    "userId" BIGINT NOT NULL,
    "processId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "activities" JSONB NOT NULL,
    "since" BIGINT,
    "afk" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "Presence_pkey" PRIMARY KEY ("sessionId")
);

-- CreateTable
CREATE TABLE "VoiceState" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "channelId" BIGINT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "processId" TEXT NOT NULL,
    "selfMute" BOOLEAN NOT NULL DEFAULT false,
    "selfDeaf" BOOLEAN NOT NULL DEFAULT false,
    "selfVideo" BOOLEAN NOT NULL DEFAULT false,
    "suppress" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "VoiceState_pkey" PRIMARY KEY ("guildId","userId")
);

-- CreateIndex
CREATE INDEX "Ban_userId_idx" ON "Ban"("userId");

-- CreateIndex
CREATE INDEX "Emoji_guildId_idx" ON "Emoji"("guildId");

-- CreateIndex
CREATE INDEX "Emoji_applicationId_idx" ON "Emoji"("applicationId");

-- CreateIndex
CREATE INDEX "Emoji_creatorId_idx" ON "Emoji"("creatorId");

-- CreateIndex
CREATE INDEX "ChannelRecipient_userId_idx" ON "ChannelRecipient"("userId");

-- CreateIndex
CREATE INDEX "SlowMode_until_idx" ON "SlowMode"("until");

-- CreateIndex
CREATE INDEX "Pin_channelId_pinnedAt_idx" ON "Pin"("channelId", "pinnedAt");

-- CreateIndex
CREATE INDEX "LiveProcess_until_idx" ON "LiveProcess"("until");

-- CreateIndex
CREATE INDEX "Presence_userId_idx" ON "Presence"("userId");

-- CreateIndex
CREATE INDEX "Presence_processId_idx" ON "Presence"("processId");

-- CreateIndex
CREATE INDEX "VoiceState_channelId_idx" ON "VoiceState"("channelId");

-- CreateIndex
CREATE INDEX "VoiceState_userId_idx" ON "VoiceState"("userId");

-- CreateIndex
CREATE INDEX "VoiceState_processId_idx" ON "VoiceState"("processId");

-- CreateIndex
CREATE UNIQUE INDEX "Channel_directKey_key" ON "Channel"("directKey");

-- CreateIndex
CREATE INDEX "Message_authorId_id_idx" ON "Message"("authorId", "id");

-- AddForeignKey
ALTER TABLE "Ban" ADD CONSTRAINT "Ban_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Ban" ADD CONSTRAINT "Ban_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Emoji" ADD CONSTRAINT "Emoji_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Emoji" ADD CONSTRAINT "Emoji_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Emoji" ADD CONSTRAINT "Emoji_creatorId_fkey" FOREIGN KEY ("creatorId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChannelRecipient" ADD CONSTRAINT "ChannelRecipient_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ChannelRecipient" ADD CONSTRAINT "ChannelRecipient_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SlowMode" ADD CONSTRAINT "SlowMode_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Pin" ADD CONSTRAINT "Pin_messageId_fkey" FOREIGN KEY ("messageId") REFERENCES "Message"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Pin" ADD CONSTRAINT "Pin_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Greeting" ADD CONSTRAINT "Greeting_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Presence" ADD CONSTRAINT "Presence_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Presence" ADD CONSTRAINT "Presence_processId_fkey" FOREIGN KEY ("processId") REFERENCES "LiveProcess"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VoiceState" ADD CONSTRAINT "VoiceState_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VoiceState" ADD CONSTRAINT "VoiceState_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "VoiceState" ADD CONSTRAINT "VoiceState_processId_fkey" FOREIGN KEY ("processId") REFERENCES "LiveProcess"("id") ON DELETE CASCADE ON UPDATE CASCADE;
