-- AlterTable
ALTER TABLE "Interaction" ADD COLUMN     "ephemeralOnly" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "parentId" BIGINT;
