-- CreateTable
CREATE TABLE "Job" (
    "id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "key" TEXT,
    "payload" JSONB NOT NULL,
    "dueAt" TIMESTAMP(3),
    "holder" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "diedAt" TIMESTAMP(3),

    CONSTRAINT "Job_pkey" PRIMARY KEY ("id")
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
