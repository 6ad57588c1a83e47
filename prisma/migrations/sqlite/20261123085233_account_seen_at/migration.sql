-- AlterTable
ALTER TABLE "AuthUser" ADD COLUMN "seenAt" DATETIME;
