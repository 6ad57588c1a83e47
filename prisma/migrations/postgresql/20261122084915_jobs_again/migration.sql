-- AlterTable
ALTER TABLE "Job" ADD COLUMN     "againAt" TIMESTAMP(3);
