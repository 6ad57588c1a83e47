-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Application" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "iconHash" TEXT,
    "coverHash" TEXT,
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
    "clientSecretCreatedAt" DATETIME,
    "clientSecretCreatedById" BIGINT,
    "clientSecretLastUsedAt" DATETIME,
    "botTokenHash" TEXT,
    "botTokenLast4" TEXT,
    "botTokenCreatedAt" DATETIME,
    "botTokenCreatedById" BIGINT,
    "botTokenLastUsedAt" DATETIME,
    "ownerUserId" BIGINT,
    "ownerTeamId" BIGINT,
    "transferredById" BIGINT,
    "deletedAt" DATETIME,
    "listenerId" TEXT,
    "listenerProcessId" TEXT,
    CONSTRAINT "Application_ownerUserId_fkey" FOREIGN KEY ("ownerUserId") REFERENCES "User" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "Application_ownerTeamId_fkey" FOREIGN KEY ("ownerTeamId") REFERENCES "Team" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
    CONSTRAINT "Application_id_fkey" FOREIGN KEY ("id") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "Application_listenerProcessId_fkey" FOREIGN KEY ("listenerProcessId") REFERENCES "LiveProcess" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
INSERT INTO "new_Application" ("botTokenCreatedAt", "botTokenCreatedById", "botTokenHash", "botTokenLast4", "botTokenLastUsedAt", "clientSecretCreatedAt", "clientSecretCreatedById", "clientSecretHash", "clientSecretLast4", "clientSecretLastUsedAt", "clientSecretPrefix", "coverHash", "customInstallUrl", "deletedAt", "description", "guildMembersIntent", "iconHash", "id", "installLinkMode", "install_guild_install", "install_user_install", "interactionsEndpointUrl", "messageContentIntent", "name", "ownerTeamId", "ownerUserId", "presencesIntent", "privateKey", "public", "publicClient", "publicKey", "redirectUris", "serverInstallPermissions", "serverInstallScopes", "transferredById", "userInstallScopes") SELECT "botTokenCreatedAt", "botTokenCreatedById", "botTokenHash", "botTokenLast4", "botTokenLastUsedAt", "clientSecretCreatedAt", "clientSecretCreatedById", "clientSecretHash", "clientSecretLast4", "clientSecretLastUsedAt", "clientSecretPrefix", "coverHash", "customInstallUrl", "deletedAt", "description", "guildMembersIntent", "iconHash", "id", "installLinkMode", "install_guild_install", "install_user_install", "interactionsEndpointUrl", "messageContentIntent", "name", "ownerTeamId", "ownerUserId", "presencesIntent", "privateKey", "public", "publicClient", "publicKey", "redirectUris", "serverInstallPermissions", "serverInstallScopes", "transferredById", "userInstallScopes" FROM "Application";
DROP TABLE "Application";
ALTER TABLE "new_Application" RENAME TO "Application";
CREATE INDEX "Application_ownerUserId_id_idx" ON "Application"("ownerUserId", "id");
CREATE INDEX "Application_ownerTeamId_id_idx" ON "Application"("ownerTeamId", "id");
CREATE INDEX "Application_transferredById_id_idx" ON "Application"("transferredById", "id");
CREATE INDEX "Application_listenerProcessId_idx" ON "Application"("listenerProcessId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
