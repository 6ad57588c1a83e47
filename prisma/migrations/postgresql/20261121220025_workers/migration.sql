-- CreateTable
CREATE TABLE "Worker" (
    "number" INTEGER NOT NULL,
    "owner" TEXT,
    "until" TIMESTAMP(3) NOT NULL,
    "lastMs" BIGINT NOT NULL,

    CONSTRAINT "Worker_pkey" PRIMARY KEY ("number")
);
