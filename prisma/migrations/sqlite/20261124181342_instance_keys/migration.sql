-- AlterTable
ALTER TABLE "LiveProcess" ADD COLUMN "accepts" TEXT;
ALTER TABLE "LiveProcess" ADD COLUMN "signsWith" TEXT;

-- CreateTable
CREATE TABLE "InstanceKey" (
    "purpose" TEXT NOT NULL PRIMARY KEY,
    "secret" TEXT NOT NULL
);
