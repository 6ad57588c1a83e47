-- AlterTable
ALTER TABLE "OAuthGrant" ADD COLUMN     "clientCredentials" BOOLEAN NOT NULL DEFAULT false;
