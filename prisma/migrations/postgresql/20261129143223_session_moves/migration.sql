-- CreateTable
CREATE TABLE "SessionMove" (
    "id" TEXT NOT NULL,
    "target" TEXT,
    "movedAt" TIMESTAMP(3) NOT NULL,
    "sessions" BYTEA NOT NULL,

    CONSTRAINT "SessionMove_pkey" PRIMARY KEY ("id")
);
