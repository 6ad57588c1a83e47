-- CreateTable
CREATE TABLE "Tester" (
    "applicationId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'INVITED',
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("applicationId", "userId"),
    CONSTRAINT "Tester_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "Tester_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "OAuthGrant" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "applicationId" BIGINT NOT NULL,
    "userId" BIGINT NOT NULL,
    "scopes" JSONB NOT NULL,
    "guildId" BIGINT,
    CONSTRAINT "OAuthGrant_applicationId_fkey" FOREIGN KEY ("applicationId") REFERENCES "Application" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "OAuthGrant_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "AuthorizationCode" (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "grantId" BIGINT NOT NULL,
    "redirectUri" TEXT,
    "codeChallenge" TEXT,
    "expiresAt" DATETIME NOT NULL,
    "usedAt" DATETIME,
    CONSTRAINT "AuthorizationCode_grantId_fkey" FOREIGN KEY ("grantId") REFERENCES "OAuthGrant" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "OAuthToken" (
    "hash" TEXT NOT NULL PRIMARY KEY,
    "grantId" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "usedAt" DATETIME,
    CONSTRAINT "OAuthToken_grantId_fkey" FOREIGN KEY ("grantId") REFERENCES "OAuthGrant" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE INDEX "Tester_userId_idx" ON "Tester"("userId");

-- CreateIndex
CREATE INDEX "OAuthGrant_applicationId_userId_idx" ON "OAuthGrant"("applicationId", "userId");

-- CreateIndex
CREATE INDEX "OAuthGrant_userId_idx" ON "OAuthGrant"("userId");

-- CreateIndex
CREATE INDEX "AuthorizationCode_grantId_idx" ON "AuthorizationCode"("grantId");

-- CreateIndex
CREATE INDEX "AuthorizationCode_expiresAt_idx" ON "AuthorizationCode"("expiresAt");

-- CreateIndex
CREATE INDEX "OAuthToken_grantId_idx" ON "OAuthToken"("grantId");

-- CreateIndex
CREATE INDEX "OAuthToken_expiresAt_idx" ON "OAuthToken"("expiresAt");
