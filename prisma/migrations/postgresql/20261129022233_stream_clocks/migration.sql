-- AlterTable
ALTER TABLE "Attachment" ADD COLUMN     "folderId" BIGINT;

-- CreateTable
CREATE TABLE "StreamClock" (
    "key" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "newestId" BIGINT NOT NULL,

    CONSTRAINT "StreamClock_pkey" PRIMARY KEY ("key")
);
