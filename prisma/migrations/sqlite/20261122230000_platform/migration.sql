-- The platform's own application and its bot, which nobody can use from outside.
INSERT INTO "User" ("id", "username", "bot") VALUES (10000000000000000, 'Causeway', true);
INSERT INTO "Application" ("id", "name", "publicKey", "privateKey", "public", "install_guild_install", "serverInstallScopes", "userInstallScopes", "installLinkMode", "redirectUris", "deletedAt")
VALUES (10000000000000000, 'Causeway', '', '', false, false, '[]', '[]', 'NONE', '[]', CURRENT_TIMESTAMP);
