-- AlterTable
ALTER TABLE "LiveProcess" ADD COLUMN     "accepts" TEXT,
ADD COLUMN     "signsWith" TEXT;

-- CreateTable
CREATE TABLE "InstanceKey" (
    "purpose" TEXT NOT NULL,
    "secret" TEXT NOT NULL,

    CONSTRAINT "InstanceKey_pkey" PRIMARY KEY ("purpose")
);
