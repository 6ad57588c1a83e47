-- CreateTable
CREATE TABLE "Box" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "ownerId" BIGINT NOT NULL,
    "tokenHash" TEXT,
    "tokenEndsAt" DATETIME,
    "publicKey" TEXT,
    "rekeyedAt" DATETIME,
    "idSpace" INTEGER,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "holderId" TEXT,
    "lastSeenAt" DATETIME,
    "protocolVersion" TEXT,
    CONSTRAINT "Box_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "BoxGuild" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "boxId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "iconHash" TEXT,
    "ownerId" BIGINT NOT NULL,
    CONSTRAINT "BoxGuild_boxId_fkey" FOREIGN KEY ("boxId") REFERENCES "Box" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "BoxChannel" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "guildId" BIGINT NOT NULL,
    CONSTRAINT "BoxChannel_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "BoxGuild" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "Box_tokenHash_key" ON "Box"("tokenHash");

-- CreateIndex
CREATE UNIQUE INDEX "Box_publicKey_key" ON "Box"("publicKey");

-- CreateIndex
CREATE UNIQUE INDEX "Box_idSpace_key" ON "Box"("idSpace");

-- CreateIndex
CREATE INDEX "Box_ownerId_idx" ON "Box"("ownerId");

-- CreateIndex
CREATE INDEX "Box_holderId_idx" ON "Box"("holderId");

-- CreateIndex
CREATE INDEX "BoxGuild_boxId_idx" ON "BoxGuild"("boxId");

-- CreateIndex
CREATE INDEX "BoxChannel_guildId_idx" ON "BoxChannel"("guildId");
