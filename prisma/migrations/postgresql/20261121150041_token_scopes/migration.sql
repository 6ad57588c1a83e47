-- AlterTable
ALTER TABLE "OAuthToken" ADD COLUMN     "scopes" JSONB;
