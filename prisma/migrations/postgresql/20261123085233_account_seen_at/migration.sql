-- AlterTable
ALTER TABLE "AuthUser" ADD COLUMN     "seenAt" TIMESTAMP(3);
