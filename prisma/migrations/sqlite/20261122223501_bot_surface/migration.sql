-- DropIndex
DROP INDEX "Message_authorId_idx";

-- CreateTable
CREATE TABLE "Ban" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "reason" TEXT,

    PRIMARY KEY ("guildId", "userId"),
    CONSTRAINT "Ban_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Ban_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Emoji" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "guildId" BIGINT,
    "applicationId" BIGINT,
    "name" TEXT NOT NULL,
    "animated" BOOLEAN NOT NULL DEFAULT false,
    "creatorId" BIGINT NOT NULL,
    "roleIds" JSONB NOT NULL,
    CONSTRAINT "Emoji_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Emoji_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Emoji_creatorId_fkey" FOREIGN KEY ("creatorId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "ChannelRecipient" (
    "channelId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,

    PRIMARY KEY ("channelId", "userId"),
    CONSTRAINT "ChannelRecipient_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "ChannelRecipient_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SlowMode" (
    "channelId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "until" DATETIME NOT NULL,

    PRIMARY KEY ("channelId", "userId"),
    CONSTRAINT "SlowMode_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Pin" (
    "messageId" BIGINT NOT NULL PRIMARY KEY,
    "channelId" BIGINT NOT NULL,
    "pinnedAt" DATETIME NOT NULL,
    CONSTRAINT "Pin_messageId_fkey" FOREIGN KEY ("messageId") REFERENCES "Message" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Pin_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Greeting" (
    "guildId" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "channelId" BIGINT NOT NULL,
    "message" TEXT NOT NULL,

    PRIMARY KEY ("guildId", "kind"),
    CONSTRAINT "Greeting_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "LiveProcess" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "until" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Presence" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "userId" BIGINT NOT NULL,
    "processId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "activities" JSONB NOT NULL,
    "since" BIGINT,
    "afk" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "Presence_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "Presence_processId_fkey" FOREIGN KEY ("processId") REFERENCES "LiveProcess" ("id") ON DELETE CASCADE ON UPDATE CASCADE
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

    PRIMARY KEY ("guildId", "userId"),
    CONSTRAINT "VoiceState_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "VoiceState_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "VoiceState_processId_fkey" FOREIGN KEY ("processId") REFERENCES "LiveProcess" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Guild" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "iconHash" TEXT,
    "ownerId" BIGINT NOT NULL,
    "afkChannelId" BIGINT,
    "afkTimeout" INTEGER NOT NULL DEFAULT 300,
    "systemChannelId" BIGINT,
    "systemChannelFlags" INTEGER NOT NULL DEFAULT 0,
    "verificationLevel" INTEGER NOT NULL DEFAULT 0,
    "defaultMessageNotifications" INTEGER NOT NULL DEFAULT 0,
    "explicitContentFilter" INTEGER NOT NULL DEFAULT 0,
    "preferredLocale" TEXT NOT NULL DEFAULT 'en-US',
    CONSTRAINT "Guild_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_Guild" ("description", "iconHash", "id", "name", "ownerId") SELECT "description", "iconHash", "id", "name", "ownerId" FROM "Guild";
DROP TABLE "Guild";
ALTER TABLE "new_Guild" RENAME TO "Guild";
CREATE INDEX "Guild_ownerId_idx" ON "Guild"("ownerId");
CREATE TABLE "new_Member" (
    "guildId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "nick" TEXT,
    "joinedAt" DATETIME NOT NULL,
    "communicationDisabledUntil" DATETIME,
    "mute" BOOLEAN NOT NULL DEFAULT false,
    "deaf" BOOLEAN NOT NULL DEFAULT false,
    "temporary" BOOLEAN NOT NULL DEFAULT false,
    "awayMessage" TEXT,
    "awaySince" DATETIME,

    PRIMARY KEY ("guildId", "userId"),
    CONSTRAINT "Member_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Member_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_Member" ("guildId", "joinedAt", "nick", "userId") SELECT "guildId", "joinedAt", "nick", "userId" FROM "Member";
DROP TABLE "Member";
ALTER TABLE "new_Member" RENAME TO "Member";
CREATE INDEX "Member_userId_guildId_idx" ON "Member"("userId", "guildId");
CREATE TABLE "new_Channel" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "guildId" BIGINT,
    "type" INTEGER NOT NULL DEFAULT 0,
    "name" TEXT NOT NULL,
    "topic" TEXT,
    "position" INTEGER NOT NULL DEFAULT 0,
    "parentId" BIGINT,
    "nsfw" BOOLEAN NOT NULL DEFAULT false,
    "rateLimitPerUser" INTEGER NOT NULL DEFAULT 0,
    "bitrate" INTEGER NOT NULL DEFAULT 64000,
    "userLimit" INTEGER NOT NULL DEFAULT 0,
    "lastPinAt" DATETIME,
    "directKey" TEXT,
    CONSTRAINT "Channel_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_Channel" ("guildId", "id", "name", "nsfw", "parentId", "position", "rateLimitPerUser", "topic", "type") SELECT "guildId", "id", "name", "nsfw", "parentId", "position", "rateLimitPerUser", "topic", "type" FROM "Channel";
DROP TABLE "Channel";
ALTER TABLE "new_Channel" RENAME TO "Channel";
CREATE UNIQUE INDEX "Channel_directKey_key" ON "Channel"("directKey");
CREATE INDEX "Channel_guildId_idx" ON "Channel"("guildId");
CREATE TABLE "new_Invite" (
    "code" TEXT NOT NULL PRIMARY KEY,
    "guildId" BIGINT NOT NULL,
    "channelId" BIGINT NOT NULL,
    "inviterId" BIGINT NOT NULL,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "maxUses" INTEGER NOT NULL DEFAULT 0,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "temporary" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "Invite_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "Guild" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Invite_channelId_fkey" FOREIGN KEY ("channelId") REFERENCES "Channel" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Invite_inviterId_fkey" FOREIGN KEY ("inviterId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_Invite" ("channelId", "code", "createdAt", "expiresAt", "guildId", "inviterId", "maxUses", "uses") SELECT "channelId", "code", "createdAt", "expiresAt", "guildId", "inviterId", "maxUses", "uses" FROM "Invite";
DROP TABLE "Invite";
ALTER TABLE "new_Invite" RENAME TO "Invite";
CREATE INDEX "Invite_guildId_idx" ON "Invite"("guildId");
CREATE INDEX "Invite_channelId_idx" ON "Invite"("channelId");
CREATE INDEX "Invite_expiresAt_idx" ON "Invite"("expiresAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

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
CREATE INDEX "Message_authorId_id_idx" ON "Message"("authorId", "id");
