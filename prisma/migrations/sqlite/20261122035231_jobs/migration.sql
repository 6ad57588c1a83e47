-- CreateTable
CREATE TABLE "Job" (
    "id" BIGINT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "key" TEXT,
    "payload" JSONB NOT NULL,
    "dueAt" DATETIME,
    "holder" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "diedAt" DATETIME
);

-- CreateIndex
CREATE UNIQUE INDEX "Job_key_key" ON "Job"("key");

-- CreateIndex
CREATE INDEX "Job_dueAt_kind_idx" ON "Job"("dueAt", "kind");

-- CreateIndex
CREATE INDEX "Job_diedAt_idx" ON "Job"("diedAt");

-- CreateIndex
CREATE INDEX "AuthSession_expiresAt_idx" ON "AuthSession"("expiresAt");

-- CreateIndex
CREATE INDEX "AuthVerification_expiresAt_idx" ON "AuthVerification"("expiresAt");

-- CreateIndex
CREATE INDEX "Invite_expiresAt_idx" ON "Invite"("expiresAt");
