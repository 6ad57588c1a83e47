-- CreateTable
CREATE TABLE "BoxMeasure" (
    "boxId" BIGINT NOT NULL,
    "hour" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "addedUpToMs" INTEGER NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "BoxMeasure_pkey" PRIMARY KEY ("boxId","hour","outcome","addedUpToMs")
);

-- CreateIndex
CREATE INDEX "BoxMeasure_hour_idx" ON "BoxMeasure"("hour");

-- AddForeignKey
ALTER TABLE "BoxMeasure" ADD CONSTRAINT "BoxMeasure_boxId_fkey" FOREIGN KEY ("boxId") REFERENCES "Box"("id") ON DELETE CASCADE ON UPDATE CASCADE;
