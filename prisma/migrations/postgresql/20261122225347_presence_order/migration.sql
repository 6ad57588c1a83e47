-- AlterTable
ALTER TABLE "Presence" ADD COLUMN     "statementId" BIGINT NOT NULL DEFAULT 0;
