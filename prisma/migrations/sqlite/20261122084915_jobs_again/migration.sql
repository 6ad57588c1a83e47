-- AlterTable
ALTER TABLE "Job" ADD COLUMN "againAt" DATETIME;
