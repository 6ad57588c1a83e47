-- AlterTable
ALTER TABLE "ChannelRecipient" ADD COLUMN "closedId" BIGINT;
