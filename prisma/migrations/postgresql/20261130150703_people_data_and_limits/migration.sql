-- AlterTable
ALTER TABLE "AuthUser" ADD COLUMN     "deletionAt" TIMESTAMP(3);

-- AlterTable
ALTER TABLE "PersonalToken" ADD COLUMN     "forOperator" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "InstanceLimit" (
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "value" INTEGER NOT NULL,

    CONSTRAINT "InstanceLimit_pkey" PRIMARY KEY ("kind","subject")
);

-- CreateIndex
CREATE INDEX "AuthUser_deletionAt_idx" ON "AuthUser"("deletionAt");
