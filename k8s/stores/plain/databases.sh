# A database for each service, and a user who can reach no other. The image runs this once, when the folder is empty.
for name in gateway offers billing; do
  upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
  eval "password=\$${upper}_PASSWORD"
  psql --username postgres --dbname postgres --set ON_ERROR_STOP=1 --set name="$name" --set password="$password" <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
REVOKE CONNECT ON DATABASE :"name" FROM PUBLIC;
SQL
done
