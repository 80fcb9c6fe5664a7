#!/bin/sh
# Faults for `npm run cluster -- --parts network,disk`, where this machine is the only node. Run it, and the trial, in the network of the node.
#   --network 'trials/cluster/node-faults.sh network'    drops what pods send to each other and to Services
#   --disk 'trials/cluster/node-faults.sh disk'          fills the disk of Postgres, which must be small:
#   node-faults.sh disk make | kubectl apply -f -        before the trial: 1 GB of memory as the volume of Postgres
#   node-faults.sh disk remove                           after the namespace and the volume are deleted
set -eu
disk=/run/offer-ads-trial-disk
case "$1 $2" in
'network break') nft 'add table ip offer_ads_trial; add chain ip offer_ads_trial pods { type filter hook forward priority -400; policy drop; }' ;;
'network mend') nft 'delete table ip offer_ads_trial' ;;
'disk make')
  mkdir -p $disk && mount -t tmpfs -o size=1g,mode=777 offer-ads-trial $disk
  cat <<EOF
apiVersion: v1
kind: PersistentVolume
metadata: { name: offer-ads-trial }
spec:
  capacity: { storage: 2Gi }
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  storageClassName: "${STORAGE_CLASS:-standard}"
  claimRef: { namespace: offer-ads-dev, name: data-postgres-0 }
  hostPath: { path: $disk }
EOF
  ;;
'disk break')
  dd if=/dev/zero of=$disk/filler bs=1M status=none || :
  dd if=/dev/zero of=$disk/filler bs=4k oflag=append conv=notrunc status=none || :
  df -h $disk ;;
'disk mend') rm -f $disk/filler ;;
'disk remove') umount $disk && rmdir $disk ;;
*) sed -n '2,6p' "$0"; exit 1 ;;
esac
