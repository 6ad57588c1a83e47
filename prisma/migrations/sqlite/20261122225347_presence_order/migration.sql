-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Presence" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "statementId" BIGINT NOT NULL DEFAULT 0,
    "userId" BIGINT NOT NULL,
    "processId" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "activities" JSONB NOT NULL,
    "since" BIGINT,
    "afk" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "Presence_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "Presence_processId_fkey" FOREIGN KEY ("processId") REFERENCES "LiveProcess" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
INSERT INTO "new_Presence" ("activities", "afk", "processId", "sessionId", "since", "status", "userId") SELECT "activities", "afk", "processId", "sessionId", "since", "status", "userId" FROM "Presence";
DROP TABLE "Presence";
ALTER TABLE "new_Presence" RENAME TO "Presence";
CREATE INDEX "Presence_userId_idx" ON "Presence"("userId");
CREATE INDEX "Presence_processId_idx" ON "Presence"("processId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
