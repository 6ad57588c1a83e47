-- CreateTable
CREATE TABLE "SessionMove" (
    "id" TEXT NOT NULL,
    "target" TEXT,
    "movedAt" TIMESTAMP(3) NOT NULL,
    "sessions" BYTEA NOT NULL,

    CONSTRAINT "SessionMove_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "SessionMove_movedAt_idx" ON "SessionMove"("movedAt");
