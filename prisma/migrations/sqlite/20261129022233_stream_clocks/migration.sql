-- AlterTable
ALTER TABLE "Attachment" ADD COLUMN "folderId" BIGINT;

-- CreateTable
CREATE TABLE "StreamClock" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "seq" BIGINT NOT NULL,
    "newestId" BIGINT NOT NULL
);
