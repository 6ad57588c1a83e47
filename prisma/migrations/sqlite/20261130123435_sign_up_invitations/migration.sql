-- CreateTable
CREATE TABLE "SignUpInvitation" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "hash" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "note" TEXT NOT NULL DEFAULT '',
    "createdById" BIGINT,
    "maxUses" INTEGER,
    "uses" INTEGER NOT NULL DEFAULT 0,
    "expiresAt" DATETIME
);

-- CreateIndex
CREATE UNIQUE INDEX "SignUpInvitation_hash_key" ON "SignUpInvitation"("hash");

-- CreateIndex
CREATE INDEX "SignUpInvitation_expiresAt_idx" ON "SignUpInvitation"("expiresAt");
