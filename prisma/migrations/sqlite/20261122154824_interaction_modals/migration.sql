-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Interaction" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "applicationId" BIGINT NOT NULL,
    "type" INTEGER NOT NULL,
    "tokenHash" TEXT NOT NULL,
    "userId" BIGINT NOT NULL,
    "guildId" BIGINT,
    "channelId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "commandId" BIGINT,
    "messageId" BIGINT,
    "parentId" BIGINT,
    "data" JSONB NOT NULL,
    "owners" JSONB NOT NULL,
    "ephemeralOnly" BOOLEAN NOT NULL DEFAULT false,
    "state" TEXT NOT NULL DEFAULT 'DELIVERING',
    "endsAt" DATETIME,
    "httpMs" INTEGER,
    "fellBack" BOOLEAN NOT NULL DEFAULT false,
    "callbackType" INTEGER,
    "originalMessageId" BIGINT,
    "followUps" INTEGER NOT NULL DEFAULT 0,
    "modal" JSONB,
    "choices" JSONB,
    "failure" TEXT,
    CONSTRAINT "Interaction_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Interaction_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);
INSERT INTO "new_Interaction" ("applicationId", "callbackType", "channelId", "choices", "commandId", "data", "endsAt", "failure", "fellBack", "followUps", "guildId", "httpMs", "id", "messageId", "modal", "name", "originalMessageId", "owners", "state", "tokenHash", "type", "userId") SELECT "applicationId", "callbackType", "channelId", "choices", "commandId", "data", "endsAt", "failure", "fellBack", "followUps", "guildId", "httpMs", "id", "messageId", "modal", "name", "originalMessageId", "owners", "state", "tokenHash", "type", "userId" FROM "Interaction";
DROP TABLE "Interaction";
ALTER TABLE "new_Interaction" RENAME TO "Interaction";
CREATE INDEX "Interaction_applicationId_id_idx" ON "Interaction"("applicationId", "id");
CREATE INDEX "Interaction_userId_idx" ON "Interaction"("userId");
CREATE INDEX "Interaction_endsAt_idx" ON "Interaction"("endsAt");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
