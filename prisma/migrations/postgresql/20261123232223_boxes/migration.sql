-- CreateTable
CREATE TABLE "Box" (
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "ownerId" BIGINT NOT NULL,
    "tokenHash" TEXT,
    "tokenEndsAt" TIMESTAMP(3),
    "publicKey" TEXT,
    "rekeyedAt" TIMESTAMP(3),
    "idSpace" INTEGER,
    "generation" INTEGER NOT NULL DEFAULT 0,
    "holderId" TEXT,
    "lastSeenAt" TIMESTAMP(3),
    "protocolVersion" TEXT,

    CONSTRAINT "Box_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "BoxGuild" (
    "id" BIGINT NOT NULL,
    "boxId" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "iconHash" TEXT,
    "ownerId" BIGINT NOT NULL,

    CONSTRAINT "BoxGuild_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "BoxChannel" (
    "id" BIGINT NOT NULL,
    "guildId" BIGINT NOT NULL,

    CONSTRAINT "BoxChannel_pkey" PRIMARY KEY ("id")
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

-- AddForeignKey
ALTER TABLE "Box" ADD CONSTRAINT "Box_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BoxGuild" ADD CONSTRAINT "BoxGuild_boxId_fkey" FOREIGN KEY ("boxId") REFERENCES "Box"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "BoxChannel" ADD CONSTRAINT "BoxChannel_guildId_fkey" FOREIGN KEY ("guildId") REFERENCES "BoxGuild"("id") ON DELETE CASCADE ON UPDATE CASCADE;
