-- CreateTable
CREATE TABLE "Team" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "iconHash" TEXT,
    "ownerUserId" BIGINT NOT NULL,
    CONSTRAINT "Team_ownerUserId_fkey" FOREIGN KEY ("ownerUserId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TeamMember" (
    "teamId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "role" TEXT NOT NULL,
    "joinedAt" DATETIME NOT NULL,

    PRIMARY KEY ("teamId", "userId"),
    CONSTRAINT "TeamMember_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "TeamMember_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "TeamInvitation" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "teamId" BIGINT NOT NULL,
    "inviteeId" BIGINT NOT NULL,
    "inviterId" BIGINT NOT NULL,
    "role" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'PENDING',
    "pendingKey" TEXT,
    "createdAt" DATETIME NOT NULL,
    CONSTRAINT "TeamInvitation_teamId_fkey" FOREIGN KEY ("teamId") REFERENCES "Team" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "TeamInvitation_inviteeId_fkey" FOREIGN KEY ("inviteeId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "TeamInvitation_inviterId_fkey" FOREIGN KEY ("inviterId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Application" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "iconHash" TEXT,
    "publicKey" TEXT NOT NULL,
    "privateKey" TEXT NOT NULL,
    "publicClient" BOOLEAN NOT NULL DEFAULT false,
    "public" BOOLEAN NOT NULL DEFAULT true,
    "guildMembersIntent" BOOLEAN NOT NULL DEFAULT true,
    "presencesIntent" BOOLEAN NOT NULL DEFAULT true,
    "messageContentIntent" BOOLEAN NOT NULL DEFAULT true,
    "install_user_install" BOOLEAN NOT NULL DEFAULT false,
    "install_guild_install" BOOLEAN NOT NULL DEFAULT true,
    "serverInstallScopes" JSONB NOT NULL,
    "serverInstallPermissions" TEXT NOT NULL DEFAULT '0',
    "userInstallScopes" JSONB NOT NULL,
    "installLinkMode" TEXT NOT NULL DEFAULT 'PROVIDED',
    "customInstallUrl" TEXT,
    "interactionsEndpointUrl" TEXT,
    "redirectUris" JSONB NOT NULL,
    "clientSecretHash" TEXT,
    "clientSecretPrefix" TEXT,
    "clientSecretLast4" TEXT,
    "botTokenHash" TEXT,
    "ownerUserId" BIGINT,
    "ownerTeamId" BIGINT,
    "transferredById" BIGINT,
    "deletedAt" DATETIME,
    CONSTRAINT "Application_ownerUserId_fkey" FOREIGN KEY ("ownerUserId") REFERENCES "User" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "Application_ownerTeamId_fkey" FOREIGN KEY ("ownerTeamId") REFERENCES "Team" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "Application_id_fkey" FOREIGN KEY ("id") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_Application" ("botTokenHash", "clientSecretHash", "clientSecretLast4", "clientSecretPrefix", "customInstallUrl", "deletedAt", "description", "guildMembersIntent", "iconHash", "id", "installLinkMode", "install_guild_install", "install_user_install", "interactionsEndpointUrl", "messageContentIntent", "name", "ownerUserId", "presencesIntent", "privateKey", "public", "publicClient", "publicKey", "redirectUris", "serverInstallPermissions", "serverInstallScopes", "userInstallScopes") SELECT "botTokenHash", "clientSecretHash", "clientSecretLast4", "clientSecretPrefix", "customInstallUrl", "deletedAt", "description", "guildMembersIntent", "iconHash", "id", "installLinkMode", "install_guild_install", "install_user_install", "interactionsEndpointUrl", "messageContentIntent", "name", "ownerUserId", "presencesIntent", "privateKey", "public", "publicClient", "publicKey", "redirectUris", "serverInstallPermissions", "serverInstallScopes", "userInstallScopes" FROM "Application";
DROP TABLE "Application";
ALTER TABLE "new_Application" RENAME TO "Application";
CREATE INDEX "Application_ownerUserId_idx" ON "Application"("ownerUserId");
CREATE INDEX "Application_ownerTeamId_idx" ON "Application"("ownerTeamId");
CREATE INDEX "Application_transferredById_idx" ON "Application"("transferredById");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;

-- CreateIndex
CREATE INDEX "Team_ownerUserId_idx" ON "Team"("ownerUserId");

-- CreateIndex
CREATE INDEX "TeamMember_userId_idx" ON "TeamMember"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "TeamInvitation_pendingKey_key" ON "TeamInvitation"("pendingKey");

-- CreateIndex
CREATE INDEX "TeamInvitation_teamId_idx" ON "TeamInvitation"("teamId");

-- CreateIndex
CREATE INDEX "TeamInvitation_inviteeId_idx" ON "TeamInvitation"("inviteeId");

-- CreateIndex
CREATE INDEX "TeamInvitation_inviterId_idx" ON "TeamInvitation"("inviterId");
