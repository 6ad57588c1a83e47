-- AlterTable
ALTER TABLE "Attachment" ADD COLUMN     "isSpoiler" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "title" TEXT;

-- The prefix of a name marks a spoiler.
UPDATE "Attachment" SET "isSpoiler" = true WHERE substr("filename", 1, 8) = 'SPOILER_';
